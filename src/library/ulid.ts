// Names that sort by the time they were made.
import type { Clock, Millis, RandomText } from '../model/glossary.ts';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Of now, or of another time. */
export type NewUlid = (at?: Millis) => string;

/** The clock and the randomness are passed in, as everywhere. */
export function ulidMaker(now: Clock, randomText: RandomText): NewUlid {
  return (at = now()) => {
    let time = at;
    let head = '';
    for (let place = 0; place < 10; place++) {
      head = alphabet.charAt(time % 32) + head;
      time = Math.floor(time / 32);
    }
    const letters = [...randomText(16).slice(0, 16)];
    return head + letters.map((letter) => alphabet.charAt(letter.charCodeAt(0) % 32)).join('');
  };
}

/** When it was made. */
export function ulidTime(ulid: string): Millis {
  return [...ulid.slice(0, 10)].reduce((time, letter) => time * 32 + alphabet.indexOf(letter), 0);
}
