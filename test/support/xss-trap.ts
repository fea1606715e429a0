// Sees whatever a text has managed to do in a browser: say something, ask its site for something, go somewhere.
import type { BrowserContext, Page } from 'playwright-core';

export interface XssTrap {
  /** What has happened, in order. */
  readonly caught: string[];
}

/** `home` is where pages may be; `evil` is the origin whose /canary must stay unasked. */
export async function setXssTrap(
  context: BrowserContext,
  { home, evil }: { home: string; evil: string },
): Promise<XssTrap> {
  const caught: string[] = [];
  await context.exposeBinding('xssCaught', (_source, what: string) => caught.push(what));
  // Where scripts run at all, the words that a vector may say; a dialog that opens nonetheless is seen below.
  await context.addInitScript(
    `for (const name of ['alert', 'prompt', 'confirm', 'print']) {
      window[name] = (what) => void xssCaught(name + '(' + what + ')');
    }`,
  );
  context.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin === evil && url.pathname.startsWith('/canary')) caught.push(`request ${url.pathname}`);
    if (/^https?:$/.test(url.protocol) && ![home, evil].includes(url.origin))
      caught.push(`request ${url.href}`);
  });
  const watch = (page: Page) => {
    page.on('dialog', (dialog) => {
      caught.push(`${dialog.type()}(${dialog.message()})`);
      dialog.dismiss().catch(() => {});
    });
    page.on('framenavigated', (frame) => {
      const url = frame.url();
      if (!url.startsWith(`${home}/`) && url !== 'about:blank') caught.push(`navigation to ${url}`);
    });
  };
  for (const page of context.pages()) watch(page);
  context.on('page', (page) => {
    if (page.url() !== 'about:blank') caught.push(`window ${page.url()}`);
    watch(page);
  });
  return { caught };
}

/**
 * What in the page, and in the frames that it may look into, could still run or lead away when somebody points, clicks
 * or waits.
 */
export function dormantHarm(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const documents = [document];
    for (const frame of document.querySelectorAll('iframe')) {
      try { if (frame.contentDocument) documents.push(frame.contentDocument); } catch {}
    }
    const harms = [];
    for (const root of documents) {
      const inFrame = root !== document;
      for (const element of root.querySelectorAll('*')) {
        const name = element.localName;
        for (const attribute of element.attributes) {
          const value = attribute.value;
          if (attribute.name.startsWith('on')) harms.push(name + ' ' + attribute.name + '=' + value);
          if (/^(href|xlink:href|src|action|formaction|data|poster|background|ping|cite)$/.test(attribute.name)) {
            let scheme = 'none:';
            try { scheme = new URL(value, root.baseURI).protocol; } catch {}
            const good = ['http:', 'https:', 'mailto:', 'tel:', 'magnet:', 'gemini:', 'ftp:', 'xmpp:', 'irc:'];
            const image = name === 'img' && /^data:image\\/(png|jpe?g|gif|webp|avif)/.test(value);
            if (value && !good.includes(scheme) && !image) harms.push(name + ' ' + attribute.name + '=' + value);
          }
          if (inFrame && element !== root.documentElement && /^(style|srcdoc|ping)$/.test(attribute.name)) harms.push(name + ' ' + attribute.name);
        }
        if (/^(base|object|embed|applet|portal|frame)$/.test(name)) harms.push(name);
        if (inFrame && /^(script|style|form|input|button|textarea|select|svg|math|template)$/.test(name)) harms.push(name);
        if (name === 'script' && !element.src.startsWith(location.origin + '/')) harms.push('script ' + element.src);
      }
    }
    return harms;
  })()`);
}
