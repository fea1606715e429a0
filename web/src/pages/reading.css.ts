// The stylesheet of articles, which are documents of their own in a frame: the tokens of the app, its faces, and how
// text from anywhere is set well.
import interItalic from '@fontsource-variable/inter/files/inter-latin-wght-italic.woff2?url';
import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import literataItalicExt from '@fontsource-variable/literata/files/literata-latin-ext-wght-italic.woff2?url';
import literataExt from '@fontsource-variable/literata/files/literata-latin-ext-wght-normal.woff2?url';
import literataItalic from '@fontsource-variable/literata/files/literata-latin-wght-italic.woff2?url';
import literata from '@fontsource-variable/literata/files/literata-latin-wght-normal.woff2?url';
import reading from '../styles/reading.css?raw';
import tokens from '../styles/tokens.css?raw';

const latin =
  'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+0304,U+0308,U+0329,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD';
const latinExt =
  'U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+0304,U+0308,U+0329,U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF';

const face = (family: string, url: string, { italic = false, range = latin } = {}) => `@font-face {
  font-family: "${family}";
  font-style: ${italic ? 'italic' : 'normal'};
  font-weight: ${family.startsWith('Inter') ? '100 900' : '200 900'};
  font-display: swap;
  src: url(${url}) format("woff2-variations");
  unicode-range: ${range};
}
`;

const css = [
  face('Literata Variable', literataExt, { range: latinExt }),
  face('Literata Variable', literataItalicExt, { italic: true, range: latinExt }),
  face('Literata Variable', literata),
  face('Literata Variable', literataItalic, { italic: true }),
  face('Inter Variable', inter),
  face('Inter Variable', interItalic, { italic: true }),
  tokens,
  reading,
].join('');

export const prerender = true;

export const GET = () => new Response(css, { headers: { 'Content-Type': 'text/css; charset=utf-8' } });
