// The order of test files: the most expensive levels first, so that no long file is left for the end, and random within a
// level. LECTERN_TEST_ORDER=random mixes the levels too. LECTERN_TEST_SEED repeats an order.
import { createHash } from 'node:crypto';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { levels } from '../levels.ts';
import { seed } from './depth.ts';

export class LevelSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isMixed = process.env.LECTERN_TEST_ORDER === 'random';
    const rank = ({ project }: TestSpecification) =>
      isMixed ? 0 : -levels.findIndex(({ name }) => name === project.name);
    const lot = ({ moduleId }: TestSpecification) =>
      createHash('sha256').update(`${seed} ${moduleId}`).digest('hex');
    return files.toSorted((a, b) => rank(a) - rank(b) || lot(a).localeCompare(lot(b)));
  }
}
