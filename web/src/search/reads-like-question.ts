// Whether somebody asks rather than looks something up: only then is asking offered in full words.
const openers = new Set(
  'who whom whose what when where why how which is are was were do does did can could should would wer wem wen wessen was wann wo wohin woher warum wieso weshalb wie welche welcher welches ist sind war kann darf soll gibt habe hat'.split(
    ' ',
  ),
);

const fewestWords = 3;

export function readsLikeQuestion(text: string): boolean {
  const words = text.trim().split(/\s+/u);
  if (/[?？]$/u.test(text.trim()))
    return words.length > 1 || /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]/u.test(text);
  return words.length > fewestWords && openers.has((words[0] ?? '').toLowerCase());
}
