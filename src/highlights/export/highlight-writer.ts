// A format that highlights are written in, piece by piece: resources may be fetched while those before them are sent.
import type { ExportedResource } from './exported-resource.ts';

export interface HighlightWriter {
  begin(): Generator<string>;
  write(exported: ExportedResource): Generator<string>;
  end(): Generator<string>;
}

export async function* writeAsTheyCome(
  writer: HighlightWriter,
  resources: AsyncIterable<ExportedResource>,
): AsyncGenerator<string> {
  yield* writer.begin();
  for await (const exported of resources) yield* writer.write(exported);
  yield* writer.end();
}
