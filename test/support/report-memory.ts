// Loaded into a server by `--import`, with `--expose-gc`: on SIGUSR2 it writes how much memory is still in use
// after a garbage collection, and how many connections are open. What /metrics shows includes garbage, which comes and goes by tens of megabytes.
let reports = 0;

process.on('SIGUSR2', () => {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  reports += 1;
  const sockets = process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
  process.stderr.write(`memory report ${reports}: ${heapUsed + external} bytes, ${sockets} sockets\n`);
});
