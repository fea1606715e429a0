// The language of an article, as far as its commonest words betray it: browsers hyphenate, and choose between the
// Chinese and Japanese forms of a character, only when they are told. Feeds seldom say.
const commonWords: Record<string, string> = {
  en: 'the and of to in is that it for was with as are this have from not you',
  de: 'der die und das ist nicht ein eine mit von den zu auf sich für dem des im auch wird',
  fr: 'le la les des est et une dans pour que qui pas sur avec plus du au sont cette nous',
  es: 'el los las de que y en una por con para del se es como más pero su al lo',
  it: 'il di che è per una sono con non del della gli nel anche più ha come alla questo',
  pt: 'o os de que e em uma para com não do da por mais dos como foi ao são no na',
  nl: 'de het een van en dat niet zijn op te voor met die is aan er ook als maar wordt',
  sv: 'och att det som en är på för med av till den har inte om ett men var sig',
  pl: 'w i na z się do nie to że jest o jak po za od przez dla są ale tym',
};
const sets = Object.entries(commonWords).map(([tag, words]) => [tag, new Set(words.split(' '))] as const);

const longestSample = 3_000;
/** Fewer hits than this may be chance. */
const fewestHits = 6;

export function guessLanguage(text: string): string | undefined {
  const sample = text.slice(0, longestSample);
  const letters = (pattern: RegExp) => sample.match(pattern)?.length ?? 0;
  const kana = letters(/[\u3040-\u30ff]/g);
  const han = letters(/[\u4e00-\u9fff]/g);
  if (kana > 10 && kana * 4 > han) return 'ja';
  if (han > 20) return 'zh';
  if (letters(/[\uac00-\ud7af]/g) > 20) return 'ko';

  const words = sample.toLowerCase().match(/\p{L}+/gu) ?? [];
  const scores = sets
    .map(([tag, set]) => ({ tag, hits: words.filter((word) => set.has(word)).length }))
    .sort((a, b) => b.hits - a.hits);
  const [best, second] = scores;
  if (!best || best.hits < fewestHits || best.hits < words.length * 0.08) return undefined;
  return best.hits > (second?.hits ?? 0) * 1.2 ? best.tag : undefined;
}
