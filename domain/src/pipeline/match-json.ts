import type { Row } from './pipeline.ts'

/** A filter that is one condition, as in `{status: 'waiting'}`, ready to be sent. */
export const matching = (condition: Row): Row[] => [{ $match: condition }]
