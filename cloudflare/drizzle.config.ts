// `npx drizzle-kit generate` writes the migration that brings the tables of migrations/ to those of src/schema.ts.
import { defineConfig } from 'drizzle-kit';

export default defineConfig({ dialect: 'sqlite', schema: './src/schema.ts', out: './migrations' });
