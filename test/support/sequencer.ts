// Which files come first: those that start processes and browsers, since each of them takes long, and the last one of all
// would keep a single worker busy while the others have nothing left to do.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const longFirst = ['/test/e2e/', '/test/library/', '/test/items/', '/test/feeds/', '/test/api/', '/test/'];

export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    return bySize.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const at = longFirst.findIndex((folder) => moduleId.includes(folder));
  return at < 0 ? longFirst.length : at;
}
