// The project's own source, as data: for the tests that check rules about it.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));

export interface SourceFile {
  /** From the project's root: src/store/open.ts */
  readonly path: string;
  readonly text: string;
}

export function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[mc]?[jt]s$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(root, path).replaceAll('\\', '/'), text: readFileSync(path, 'utf8') }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

export interface Import {
  /** A path from the root for a file of ours, else the package or built-in as it is named. */
  readonly target: string;
  readonly typeOnly: boolean;
}

/** Static imports, re-exports, dynamic imports and `new URL('x', import.meta.url)`, which starts threads. */
export const importsOf = oncePerFile((file): Import[] => {
  const source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly = false) => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return;
    const target = specifier.text.startsWith('.')
      ? join(dirname(file.path), specifier.text).replaceAll('\\', '/')
      : specifier.text;
    found.push({ target, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, isTypeOnly(node));
    if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0]);
    if (ts.isNewExpression(node) && node.expression.getText(source) === 'URL' && node.arguments?.[1]) {
      add(node.arguments[0]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
});

function isTypeOnly({ importClause }: ts.ImportDeclaration): boolean {
  return importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
}

/** The source's tokens without comments and strings, one space between them; and its strings by themselves. */
export const codeOf = oncePerFile((file): { code: string; strings: string[] } => {
  const source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
  const code: string[] = [];
  const strings: string[] = [];
  const visit = (node: ts.Node): void => {
    const isText =
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddle(node) ||
      ts.isTemplateTail(node);
    if (isText) strings.push(node.text);
    else if (node.getChildCount(source) === 0) code.push(node.getText(source));
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  return { code: code.filter((token) => token !== '').join(' '), strings };
});

/** Several rules read the same files, and parsing them is most of the work. */
function oncePerFile<T>(read: (file: SourceFile) => T): (file: SourceFile) => T {
  const known = new WeakMap<SourceFile, T>();
  return (file) => {
    const result = known.get(file) ?? read(file);
    known.set(file, result);
    return result;
  };
}
