// Whether the API of this container answers. The image has no curl, and Node can ask by itself.
const port = process.env.LECTERN_PORT || '8484';
const answered = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(4_000) }).then(
  (response) => response.ok,
  () => false,
);
process.exitCode = answered ? 0 : 1;
