// Global setup: starts one Chromium for the whole run, which every browser suite connects to.
import type { TestProject } from 'vitest/node';
import { launchTestBrowserServer } from './chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    browserEndpoint?: string;
  }
}

export default async function setup(project: TestProject) {
  const server = await launchTestBrowserServer();
  project.provide('browserEndpoint', server.wsEndpoint());
  return () => server.close();
}
