export { ListServiceConfigurationPage } from './list-service-configuration-page.tsx'
