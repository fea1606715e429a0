import { expect, it } from 'vitest';
import { plainText, titleText } from './plain-text.ts';

it.each([
  ['A &amp; B', 'A & B'],
  ['A & B', 'A & B'],
  ['<b>A</b> B', 'A B'],
  ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
  ['Vec<T> and std::vector<int>', 'Vec<T> and std::vector<int>'],
  ['&lt;b&gt; is bold', '<b> is bold'],
  ['a<br>b', 'a b'],
  ['  a \n b ', 'a b'],
  ['<script>x</script>y', 'y'],
  ['AT&T', 'AT&T'],
  ['caf&eacute;', 'café'],
])('the title %j reads %j', (html, title) => {
  expect(titleText(html)).toBe(title);
});

it.each([
  ['<p>a</p><p>b</p>', 'a\nb'],
  ['<ul><li>a<li>b</ul>', 'a\nb'],
  ['a<br>b <i>c</i>', 'a\nb c'],
  ['<style>p{}</style><p>a', 'a'],
  ['<head><title>t</title></head><body>a', 'a'],
  ['<svg><text>x</text></svg>a', 'a'],
  ['<p>a   b\n c</p>', 'a b c'],
  ['x&nbsp;y', 'x y'],
  ['<unknown>a</unknown>', 'a'],
])('the text of %j is %j', (html, text) => {
  expect(plainText(html)).toBe(text);
});
