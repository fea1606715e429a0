// Setup file: gives every property test the seed of the run, and the default number of runs of its depth.
import fc from 'fast-check';
import { propertyRuns, seed } from './depth.ts';

fc.configureGlobal({ ...propertyRuns(100), seed });
