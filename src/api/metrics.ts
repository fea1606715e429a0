// What Prometheus reads at /metrics.
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

export interface Metrics {
  readonly registry: Registry;
  request(labels: { method: string; route: string; status: number }, seconds: number): void;
  login(outcome: 'accepted' | 'refused' | 'throttled'): void;
}

export function createMetrics(options: { process: boolean }): Metrics {
  const registry = new Registry();
  if (options.process) collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'lectern_http_request_duration_seconds',
    help: 'Time to answer a request, by route.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  });
  const logins = new Counter({
    name: 'lectern_logins_total',
    help: 'Logins, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  // Finding the series by its labels costs more than counting; there are only as many as there are routes.
  const series = new Map<string, Histogram.Internal<string>>();
  return {
    registry,
    request: ({ method, route, status }, seconds) => {
      const name = `${method} ${status} ${route}`;
      let one = series.get(name);
      if (!one) {
        one = duration.labels({ method, route, status });
        series.set(name, one);
      }
      one.observe(seconds);
    },
    login: (outcome) => logins.inc({ outcome }),
  };
}
