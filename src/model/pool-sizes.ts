/** The largest number of connections that a process opens to PostgreSQL, by what they are for. */
export interface PoolSizes {
  readonly read: number;
  readonly write: number;
}

/** With the connection that waits for jobs and one for probes, six processes fit into PostgreSQL's default of 100. */
export const defaultPoolSizes: PoolSizes = { read: 8, write: 6 };
