// Programs that a suite needs and the project does not install.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Says which programs are not installed; undefined if all of them are. */
export function missingPrograms(...names: readonly string[]): string | undefined {
  const missing = names.filter((name) => !isInstalled(name));
  return missing.length === 0 ? undefined : `not installed: ${missing.join(', ')}`;
}

function isInstalled(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
