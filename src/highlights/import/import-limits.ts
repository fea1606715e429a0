// How much of a file is taken. A file beyond it is refused with a sentence; a record beyond it is left out, and named.

export const importLimits = {
  fileBytes: 64 * 1024 * 1024,
  records: 500_000,
  /** Of each text of a record. */
  recordChars: 200_000,
  /** Of the list of what was left out; how many more there were is said. */
  reports: 1_000,
} as const;
