// How long a publisher asks to be left alone: `ttl` of RSS 2.0, or the syndication module.
import { findChild, textOf, type XmlElement } from './xml/xml-element.ts';

const periodMinutes = new Map([
  ['hourly', 60],
  ['daily', 1_440],
  ['weekly', 10_080],
  ['monthly', 43_200],
  ['yearly', 525_600],
]);

export function ttlOf(channel: XmlElement): number | null {
  const ttl = wholeNumber(findChild(channel, 'ttl'));
  if (ttl !== null) return ttl;
  const period = textOf(findChild(channel, 'updateperiod', 'sy'))
    .trim()
    .toLowerCase();
  const minutes = periodMinutes.get(period);
  if (minutes === undefined) return null;
  const times = wholeNumber(findChild(channel, 'updatefrequency', 'sy')) ?? 1;
  return Math.max(1, Math.round(minutes / times));
}

function wholeNumber(element: XmlElement | undefined): number | null {
  const digits = /^0{0,9}([1-9]\d{0,6})$/.exec(textOf(element).trim())?.[1];
  return digits === undefined ? null : Number(digits);
}
