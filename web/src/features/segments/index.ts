export { SegmentPage } from './segment-page.tsx'
export { SegmentsPage } from './segments-page.tsx'
