export { PoliciesPage } from './policies-page.tsx'
