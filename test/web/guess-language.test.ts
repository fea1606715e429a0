import { expect, test } from 'vitest';
import { guessLanguage } from '../../web/src/lib/guess-language.ts';

const texts: Record<string, string> = {
  en: 'It was the best of times, it was the worst of times, it was the age of wisdom, and the season of light that we have not seen from here.',
  de: 'Es war nicht die Nacht, die ihn weckte, sondern der Wind, und das Haus war mit einem Mal so still, dass er sich auf die Stufen setzte.',
  fr: 'Longtemps, je me suis couché de bonne heure. Les bougies étaient éteintes et mes yeux se fermaient dans la chambre, avec des pensées qui ne sont pas à moi.',
  es: 'En un lugar de la Mancha, de cuyo nombre no quiero acordarme, no ha mucho tiempo que vivía un hidalgo de los de lanza en astillero, como se dice por las tierras del sur.',
  zh: '这里记录每周值得分享的科技内容，周五发布。书籍的排版，是一门关于留白的艺术。',
  ja: 'これは毎週の記録です。本の組版は余白の芸術であり、読者に版面を忘れさせるものです。',
};

test('the language of a text is told by its commonest words or its letters', () => {
  for (const [language, text] of Object.entries(texts)) expect(guessLanguage(text)).toBe(language);
});

test('what is too short or in no language that is known stays without one', () => {
  for (const text of ['', 'The lamp', 'const a = b + c; return a;', 'lorem ipsum dolor sit amet '.repeat(20)])
    expect(guessLanguage(text)).toBeUndefined();
});
