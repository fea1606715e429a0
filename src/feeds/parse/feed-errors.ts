// What can be wrong with a document that should be a feed. The sentences are for the person who subscribed.
import { Upstream } from '../../errors.ts';

/** It is something else: a page, an image, an error message. */
export class NotAFeed extends Upstream {}

/** It wants to be a feed, and cannot be read as one. */
export class BrokenFeed extends Upstream {}
