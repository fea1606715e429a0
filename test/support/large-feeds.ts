// Documents whose size is the attack. They are made as bytes, so that making them costs next to nothing.

const megabyte = 1024 * 1024;
const filled = (sizeBytes: number, pattern: string, head = '', tail = ''): Buffer => {
  const bytes = Buffer.alloc(head.length + sizeBytes + tail.length, pattern);
  bytes.write(head, 0);
  bytes.write(tail, head.length + sizeBytes);
  return bytes;
};
const rss = '<rss><channel><title>T</title>';
/** Just below the size at which documents are refused. */
const largest = 19 * megabyte;

export const largeFeeds = {
  'a text of 200 MB': () => filled(200 * megabyte, 'a', `${rss}<item><description>`),
  'an attribute of 50 MB': () => filled(50 * megabyte, 'a', `${rss}<item><enclosure url="`),
  '5,000,000 numeric references': () => filled(5_000_000 * 5, '&#65;', `${rss}<item><title>`),
  '3,900,000 numeric references': () => filled(largest, '&#65;', `${rss}<item><title>`),
  'a text of 19 MB': () => filled(largest, 'words and ', `${rss}<item><description>`),
  'an attribute of 19 MB': () => filled(largest, 'a', `${rss}<item><enclosure url="`, '"/></item>'),
  '1,000,000 entries': () => filled(1_000_000 * 13, '<item></item>', rss),
  '2,800,000 entries': () => filled(largest, '<item/>', rss),
  '6,000,000 levels': () => filled(largest, '<a>', rss),
  '19,000,000 stray brackets': () => filled(largest, '<', `${rss}<item><title>`),
  '2,400,000 comments between letters': () => filled(largest, 'a<!---->', `${rss}<item><title>`),
  '4,000,000 attributes': () => filled(largest, 'a="" ', '<rss ', '></rss>'),
  '1,000,000 elements with attributes': () => filled(largest, '<a b="" c="" d=""/>', rss),
  '19 MB of end tags without an end': () => filled(largest, '</a ', rss),
  '19 MB of quotes in tags': () => filled(largest, `<a b="<a b='`, rss),
  '19 MB of escaped tags': () => filled(largest, '&lt;p&gt;', `${rss}<item><description>`),
  '19 MB of a title': () => filled(largest, 'word ', `${rss}<item><title>`),
  '19 MB of commas in tags': () => filled(largest, ',', `${rss}<item><tags>`),
  '19 MB of blanks in every line': () => filled(largest, 'a ', `${rss}<item><author>`),
  '19 MB of control characters between letters': () => filled(largest, 'a\u0001', `${rss}<item><title>`),
  '19 MB of lines': () => filled(largest, 'a\n', `${rss}<item><media:description>`),
  '19 MB of carriage returns': () => filled(largest, 'a\r', `${rss}<item><description>`),
  '19 MB of base64 with blanks': () => filled(largest, 'A ', '<feed><entry><content mode="base64">'),
  '19 MB of a date': () => filled(largest, '1 ', `${rss}<item><pubDate>`),
  '19 MB of a language': () => filled(largest, 'a_', `${rss}<language>`),
  '19 MB of links': () => filled(largest, '<link>x</link>', `${rss}<item>`),
  '19 MB of authors': () => filled(largest, '<author>x</author>', `${rss}<item>`),
  '19 MB of a guid': () => filled(largest, 'g ', `${rss}<item><guid>`),
  '6,000,000 objects of JSON': () => filled(largest, '{},', '{"items":[', '{}]}'),
  '19,000,000 levels of JSON': () => filled(largest, '[', '{"items":'),
  '9,000,000 numbers of JSON': () => filled(largest, '1,', '{"items":[', '1]}'),
  '19 MB of UTF-16': () => filled(largest, 'a\u0000', '<\u0000r\u0000s\u0000s\u0000>\u0000'),
  '19 MB of bytes that are no text': () => filled(largest, '\u00ff', rss),
  '19 MB of document types': () => filled(largest, '<!DOCTYPE a>', '', rss),
  '19 MB of entity declarations': () => filled(largest, '<!ENTITY a "b">', '<!DOCTYPE rss [', `]>${rss}`),
} as const satisfies Record<string, () => Buffer>;
