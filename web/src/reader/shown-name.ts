/** A feed that has not said its name yet is called by its address, which reads better without its beginning. */
export const shownName = (name: string): string => name.replace(/^https?:\/\/(www\.)?/, '');
