// One whole and correct document of each format, for tests that then damage it.

const rss = `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="http://purl.org/rss/1.0/modules/content/"
  xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">
<channel><title>Grüße &amp; Küsse</title><link>https://blog.example/</link><description>On words</description>
<language>de_DE</language><ttl>90</ttl><atom:link rel="self" href="https://blog.example/feed.xml"/>
<item><title>Über &lt;b&gt;Bäume&lt;/b&gt;</title><link>/baeume?a=1&amp;b=2</link><guid isPermaLink="false">tag:1</guid>
<pubDate>Wed, 02 Oct 2002 13:00:00 GMT</pubDate><dc:creator>Jo Doe</dc:creator><category>Natur</category>
<description>Kurz</description><content:encoded><![CDATA[<p>Lang &amp; <a href="/x">breit</a></p>]]></content:encoded>
<enclosure url="https://blog.example/a.mp3" type="audio/mpeg" length="1234"/>
<media:thumbnail url="https://blog.example/a.jpg"/></item>
<item><title>Zwei</title><link>https://blog.example/zwei</link><guid>https://blog.example/zwei</guid>
<pubDate>Thu, 03 Oct 2002 13:00:00 +0200</pubDate><description>&lt;p&gt;Text&lt;/p&gt;</description></item>
</channel></rss>`;

const atom = `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en" xml:base="https://atom.example/blog/"><title type="text">Atom &lt;1.0&gt;</title>
<subtitle>Of feeds</subtitle><id>urn:feed</id><updated>2003-12-13T18:30:02Z</updated><author><name>Ann</name></author>
<link href="./"/><link rel="self" href="feed.atom"/>
<entry><title type="html">One &amp;amp; only</title><id>urn:1</id><link href="one"/><updated>2003-12-13T18:30:02.25+01:00</updated>
<published>2003-12-13T08:29:29-04:00</published><category term="x" label="Ex"/>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Some <b>bold</b> <img src="p.png"/></div></content>
<link rel="enclosure" href="a.ogg" type="audio/ogg" length="99"/></entry>
<entry><title>Two</title><id>urn:2</id><updated>2004-01-01T00:00:00Z</updated><author><name>Bob</name></author>
<summary>Plain &lt;text&gt;</summary></entry></feed>`;

const rdf = `<?xml version="1.0"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
  xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="https://rdf.example/"><title>RDF</title><link>https://rdf.example/</link><description>D</description></channel>
<item rdf:about="https://rdf.example/1"><title>First</title><link>https://rdf.example/1</link>
<dc:date>2005-06-07T08:09:10Z</dc:date><dc:subject>s</dc:subject><description>Text</description></item></rdf:RDF>`;

const json = JSON.stringify({
  version: 'https://jsonfeed.org/version/1.1',
  title: 'JSON',
  home_page_url: 'https://json.example/',
  feed_url: 'https://json.example/feed.json',
  language: 'en',
  authors: [{ name: 'Jay' }],
  items: [
    {
      id: '1',
      url: 'https://json.example/1',
      title: 'One',
      content_html: '<p>Hi</p>',
      date_published: '2020-01-02T03:04:05Z',
    },
    {
      id: 2,
      content_text: 'a < b',
      tags: ['t'],
      attachments: [{ url: 'https://json.example/a.mp3', mime_type: 'audio/mpeg', size_in_bytes: 5 }],
    },
  ],
});

const rss091 = `<rss version="0.91"><channel><title>Old</title><link>http://old.example/</link><description>D</description>
<language>en</language><item><title>A</title><link>http://old.example/a</link><description>Text &amp;amp; more</description></item>
</channel></rss>`;

const atom03 = `<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>Three</title><tagline>T</tagline>
<link rel="alternate" type="text/html" href="http://three.example/"/><entry><title mode="escaped" type="text/html">A &amp;lt; B</title>
<id>x:1</id><link rel="alternate" href="http://three.example/1"/><issued>2004-01-01T01:01:01Z</issued>
<content type="text/html" mode="base64">PGI+Ym9sZDwvYj4=</content></entry></feed>`;

export const sampleFeeds: Readonly<Record<string, string>> = { rss, atom, rdf, json, rss091, atom03 };

export const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
