/** Segments: the contacts of saved filters, how many they were each night, and what uses them. The API for other modules. */
export { countSegmentsJob } from './segments.jobs.ts'
export { insertCounts, selectCounts } from './counts.queries.ts'
export { countAllSegments, queueSegmentCounts, runSegmentCounts } from './nightly-counts.service.ts'
export { segmentRoutes } from './segments.routes.ts'
