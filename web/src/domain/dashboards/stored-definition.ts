import type { Dashboard } from '@portico/contract/dashboards'
import type { Definition } from '@portico/contract/dashboards/definition'

/**
 * The definition of a dashboard. The server stores only validated ones, and validating again would add the validator's
 * size for viewers.
 */
export const storedDefinition = ({ definition }: Pick<Dashboard, 'definition'>): Definition =>
  JSON.parse(definition) as Definition
