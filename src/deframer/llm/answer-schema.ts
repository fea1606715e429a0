// What a model is asked to answer with, as one list, and that list in the two languages that schemas are written in.
import { categories, scoreNames } from '../../model/deframer.ts';

interface Field {
  readonly name: string;
  readonly type: 'string' | 'number';
  readonly description: string;
  readonly enum?: readonly string[];
}

/** A reason stands before its score: models write in this order, and weigh better what they have put into words. */
const fields: readonly Field[] = [
  { name: 'title_correction_reason', type: 'string', description: 'why the title was changed or kept' },
  { name: 'title_corrected', type: 'string', description: 'the sober title' },
  { name: 'description_correction_reason', type: 'string', description: 'why the description was changed' },
  { name: 'description_corrected', type: 'string', description: 'the sober description' },
  ...[...scoreNames, 'overall'].flatMap((name): Field[] => [
    { name: `${name}_reason`, type: 'string', description: `why "${name}" is what it is` },
    { name, type: 'number', description: 'from 0 to 1' },
  ]),
  { name: 'category', type: 'string', description: 'what the article is about', enum: categories },
];

export const fieldNames = fields.map(({ name }) => name);

/** Without `minimum` and `maximum`, which not every server that is strict about schemas accepts. */
export const jsonSchema = {
  type: 'object',
  properties: Object.fromEntries(fields.map(({ name, ...rules }) => [name, rules])),
  required: fieldNames,
  additionalProperties: false,
};

/** Gemini has types in capitals, an order of its own, and no `additionalProperties`. */
export const geminiSchema = {
  type: 'OBJECT',
  properties: Object.fromEntries(
    fields.map(({ name, type, ...rules }) => [name, { type: type.toUpperCase(), ...rules }]),
  ),
  required: fieldNames,
  propertyOrdering: fieldNames,
};
