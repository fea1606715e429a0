import { writeFileSync } from 'node:fs';
import { apiDescription, apiDescriptionFile } from './api-description.ts';

writeFileSync(apiDescriptionFile, apiDescription());
process.stdout.write('docs/openapi.yaml is up to date.\n');
