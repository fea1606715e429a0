// One page in the browser, from its address to a picture of it. What it asks for goes through the proxy, which is told who
// asks; what is no request to the web is refused here.

import { viewport } from './browser-arguments.ts';
import type { DevtoolsEvent, DevtoolsPipe, Params } from './devtools-pipe.ts';

interface Login {
  readonly username: string;
  readonly password: string;
}

/** A page that never stops loading is shown as far as it has come. */
const mostLoadMs = 12_000;
/** For what comes with the script, after the page itself is there. */
const mostCalmMs = 3_000;
/** Parts of the page itself, and nothing that is on this machine. */
const allowed = /^(https?|data|blob|about):/i;

export class PageVisit {
  readonly #pipe: DevtoolsPipe;
  readonly #login: Login;
  #targetId = '';
  #session = '';
  #mainFrame = '';
  /** Of the document that is shown last: an error page is no picture of anything. */
  #isShowing = false;
  readonly #seen = new Set<string>();
  #onSeen: () => void = () => {};

  constructor(pipe: DevtoolsPipe, login: Login) {
    this.#pipe = pipe;
    this.#login = login;
    pipe.onEvent = (event) => this.#hear(event);
  }

  async show(url: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const pipe = this.#pipe;
    await pipe.send('Browser.setDownloadBehavior', { behavior: 'deny' });
    const { targetId } = await pipe.send('Target.createTarget', { url: 'about:blank' });
    this.#targetId = String(targetId);
    const { sessionId } = await pipe.send('Target.attachToTarget', { targetId, flatten: true });
    this.#session = String(sessionId);
    await pipe.send('Target.setDiscoverTargets', { discover: true });
    // Of the whole browser: frames of other sites are processes of their own, and have to show who they are too.
    await pipe.send('Fetch.enable', { handleAuthRequests: true, patterns: [{ urlPattern: '*' }] });
    await this.#say('Page.enable');
    await this.#say('Network.enable');
    await this.#say('Page.setLifecycleEventsEnabled', { enabled: true });
    await this.#say('Emulation.setDeviceMetricsOverride', {
      ...viewport,
      deviceScaleFactor: 1,
      mobile: false,
    });
    const { frameId, errorText, isDownload } = await this.#navigate(url);
    if (errorText !== undefined || isDownload === true) return undefined;
    this.#mainFrame = String(frameId);
    await this.#until('load', mostLoadMs, signal);
    if (this.#isShowing) await this.#until('networkAlmostIdle', mostCalmMs, signal);
    // A page may lead elsewhere by itself, and that not be there.
    if (!this.#isShowing) return undefined;
    const { data } = await this.#say('Page.captureScreenshot', { format: 'png' });
    return typeof data === 'string' ? Buffer.from(data, 'base64') : undefined;
  }

  #hear({ method, params, sessionId }: DevtoolsEvent): void {
    const answer = (what: string, given: Params) => {
      // Whatever it was about may be gone by now.
      this.#pipe.send(what, { requestId: params.requestId, ...given }, sessionId).catch(() => {});
    };
    if (method === 'Fetch.authRequired') answer('Fetch.continueWithAuth', this.#answerTo(params));
    else if (method === 'Fetch.requestPaused') {
      const { url } = params.request as { url: string };
      if (allowed.test(url)) answer('Fetch.continueRequest', {});
      else answer('Fetch.failRequest', { errorReason: 'AccessDenied' });
    } else if (method === 'Target.targetCreated') this.#closeOthers(params);
    else if (method === 'Page.javascriptDialogOpening')
      this.#say('Page.handleJavaScriptDialog', { accept: false }).catch(() => {});
    else if (method === 'Page.lifecycleEvent' && params.frameId === this.#mainFrame) {
      if (params.name === 'init') this.#seen.clear();
      this.#seen.add(String(params.name));
      this.#onSeen();
    } else if (method === 'Network.responseReceived') this.#judge(params);
    else if (method === 'Page.frameNavigated') {
      const frame = params.frame as { id: string; unreachableUrl?: string };
      if (frame.id === this.#mainFrame && frame.unreachableUrl !== undefined) this.#isShowing = false;
    }
  }

  #say(method: string, params: Params = {}): Promise<Params> {
    return this.#pipe.send(method, params, this.#session);
  }

  async #navigate(url: string): Promise<Params> {
    this.#mainFrame = this.#targetId;
    return this.#say('Page.navigate', { url });
  }

  #judge({ type, frameId, response }: Params): void {
    if (type !== 'Document' || frameId !== this.#mainFrame) return;
    const { status } = response as { status: number };
    this.#isShowing = status >= 200 && status < 400;
  }

  /** Only the proxy is told. A site that asks for a login gets none. */
  #answerTo({ authChallenge }: Params): Params {
    const { source } = authChallenge as { source?: string };
    const response = source === 'Proxy' ? 'ProvideCredentials' : 'CancelAuth';
    return { authChallengeResponse: { response, ...(source === 'Proxy' && this.#login) } };
  }

  #closeOthers({ targetInfo }: Params): void {
    const { type, targetId } = targetInfo as { type: string; targetId: string };
    if (type === 'page' && targetId !== this.#targetId)
      this.#pipe.send('Target.closeTarget', { targetId }).catch(() => {});
  }

  /** Or until so much time has passed: what there is by then is what is shown. */
  async #until(event: string, mostMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, mostMs);
    const look = () => (this.#seen.has(event) || signal.aborted) && resolve();
    this.#onSeen = look;
    signal.addEventListener('abort', look);
    look();
    await promise;
    signal.removeEventListener('abort', look);
    clearTimeout(timer);
    this.#onSeen = () => {};
  }
}
