// The part of @20minutes/s3rver that s3-server-process.ts uses; the package has no types of its own.
declare module '@20minutes/s3rver' {
  export default class S3rver {
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      vhostBuckets: boolean;
    });
    store: unknown;
    context: { store: unknown };
    run(): Promise<{ port: number }>;
  }
}
