export { IdentitiesPage } from './identities-page.tsx'
