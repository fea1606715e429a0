// How the browser is started: with no way out but the proxy, nothing of its own to ask anybody, and nothing kept.

export interface BrowserPlace {
  /** Of the pinning proxy, on the loopback. */
  readonly proxyPort: number;
  /** Empty before, removed after. */
  readonly profileFolder: string;
  /** As root it cannot shut itself in: its sandbox refuses to start. */
  readonly isRoot: boolean;
}

export const viewport = { width: 1_200, height: 800 } as const;

const quietly = [
  '--disable-background-networking',
  '--disable-breakpad',
  '--disable-client-side-phishing-detection',
  '--disable-component-extensions-with-background-pages',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-domain-reliability',
  '--disable-extensions',
  '--disable-sync',
  // Whether somebody is logged in there is asked at every start, unless that is here, where the proxy leads to nobody.
  '--gaia-url=https://127.0.0.1:1',
  '--metrics-recording-only',
  '--no-default-browser-check',
  '--no-first-run',
  '--no-pings',
  '--no-service-autorun',
  '--password-store=basic',
  '--use-mock-keychain',
];

/** Features of the browser that ask its maker, or talk past a proxy. */
const without = [
  'AsyncDns',
  'AutofillServerCommunication',
  'CertificateTransparencyComponentUpdater',
  'DialMediaRouteProvider',
  'DnsOverHttps',
  'InterestFeedContentSuggestions',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'Translate',
];

export function browserArguments({ proxyPort, profileFolder, isRoot }: BrowserPlace): string[] {
  return [
    '--headless=new',
    '--remote-debugging-pipe',
    `--user-data-dir=${profileFolder}`,
    `--window-size=${viewport.width},${viewport.height}`,
    `--proxy-server=127.0.0.1:${proxyPort}`,
    // Otherwise it would go to our own machine without asking.
    '--proxy-bypass-list=<-loopback>',
    // Names are for the proxy to find; a request that went past it would find none.
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    '--dns-prefetch-disable',
    '--disable-quic',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-blink-features=WebTransport',
    `--disable-features=${without.join(',')}`,
    '--block-new-web-contents',
    '--disable-dev-shm-usage',
    '--disable-gpu',
    '--hide-scrollbars',
    '--mute-audio',
    '--renderer-process-limit=2',
    '--js-flags=--max-old-space-size=256',
    ...quietly,
    ...(isRoot ? ['--no-sandbox'] : []),
  ];
}
