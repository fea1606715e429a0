// How much of an OPML file is taken. More is refused with a sentence, never cut in silence.

export const opmlLimits = {
  fileBytes: 20 * 1024 * 1024,
  feeds: 50_000,
  groups: 5_000,
  /** Folders below this depth add nothing to the name of the group: their feeds go to the folder above. */
  depth: 20,
  /** Of each list of what was wrong; how many more there were is said. */
  reports: 1_000,
  /** As the API takes them. */
  groupNameChars: 200,
  feedNameChars: 500,
} as const;
