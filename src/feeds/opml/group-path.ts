// Folders in folders as the name of one group, and back: Tech > Databases is the group "Tech / Databases". A slash that
// stands alone in the name of a folder is doubled, so that it is not taken for the step from one folder to the next.

const separator = ' / ';

/** Names that are not empty and have no space around them. */
export function joinPath(path: readonly string[]): string {
  return path.map(escapeSlashes).join(separator);
}

/**
 * The folders that a group is written in. A name that no path is joined to, such as "a / / b", is a folder of that name, so
 * that whoever reads the file back finds it as it was.
 */
export function splitPath(name: string): string[] {
  const path = name.split(separator).map(restoreSlashes);
  const isPath = path.every((folder) => folder !== '' && folder === folder.trim());
  return isPath && joinPath(path) === name ? path : [name];
}

function escapeSlashes(folder: string): string {
  return folder.replace(/(?<=^| )\/+(?= |$)/g, '$&/');
}

function restoreSlashes(folder: string): string {
  return folder.replace(/(?<=^| )\/(\/+)(?= |$)/g, '$1');
}
