// The words of this project, used strictly, here and in every name.
//
//   feed        a user's subscription to a URL that publishes
//   entry       what a feed published
//   item        what a user saved
//   group       a user's folder of feeds; every user has one default group
//   resource, annotation, comment, note    what highlight sync keeps
//   raindrop    a bookmark at Raindrop.io
//   snapshot    the kept copy of a page
//   library     the files, which are the truth
//   index       the database, which can be rebuilt from the library
//   journal     durable rows written as files
//   job         a piece of background work
//   lease       the right to do that work until a time, numbered by an epoch
//   session     a browser's login, in a cookie
//   token       a program's login, also called an application password
//   owner       the first user, who operates this Lectern; everyone else is a member

/** Unix time in milliseconds: how every time is held, until the API formats it. */
export type Millis = number;

/** Passed in wherever time matters, so that tests decide what time it is. */
export type Clock = () => Millis;

/** Passed in wherever secrets are made: `bytes` random bytes as base64url text. */
export type RandomText = (bytes: number) => string;

/** The day that a time is in, in UTC: YYYY-MM-DD. */
export function dayOf(millis: Millis): string {
  return new Date(millis).toISOString().slice(0, 10);
}
