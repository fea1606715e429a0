// Of which language a title is, by its commonest words. Enough to know whether our tables speak of it.

const stopWords: Readonly<Record<string, string>> = {
  en: 'the of and to in is are was for on with that this from you your it has have what how why not by after will says at as who his her they we be an',
  de: 'der die das und ist nicht ein eine den dem mit von zu auf für im am sich auch wie nach wird sind aus bei über so war wurde gegen warum',
  fr: 'le la les des et est un une du dans pour qui que sur pas au aux avec ce cette par plus son sa ses nous vous il elle après contre pourquoi ne',
  es: 'el los las y es un una del por para con que se su al lo como más pero sus no tras según qué cómo está muy sin entre contra',
  nl: 'de het een en van is niet in op te voor met zijn dat die aan er ook naar om bij uit wordt waarom deze nog wel over heeft',
  da: 'og er det en et den til af på med for ikke som de der har fra vil blev efter hvorfor også var kan ved han hun',
};

const languageOfWord = new Map<string, string[]>();
for (const [language, words] of Object.entries(stopWords))
  for (const word of words.split(' '))
    languageOfWord.set(word, [...(languageOfWord.get(word) ?? []), language]);

/** A primary subtag; empty if no word is known. Headlines have few such words, so that one may be enough. */
export function guessLanguage(keys: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const key of keys.slice(0, 200)) {
    const languages = languageOfWord.get(key) ?? [];
    for (const language of languages)
      counts.set(language, (counts.get(language) ?? 0) + 1 / languages.length);
  }
  const [best, second] = [...counts].sort(([, a], [, b]) => b - a);
  return best && best[1] > (second?.[1] ?? 0) ? best[0] : '';
}
