export { FieldsPage } from './fields-page.tsx'
