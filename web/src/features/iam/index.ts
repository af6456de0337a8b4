import type { ComponentType } from 'react'

// Each screen is fetched when it is first opened.

export const loadPoliciesPage = async (): Promise<ComponentType> => (await import('./policies-page.tsx')).PoliciesPage
export const loadGroupsPage = async (): Promise<ComponentType> => (await import('./groups-page.tsx')).GroupsPage
export const loadIdentitiesPage = async (): Promise<ComponentType> =>
  (await import('./identities-page.tsx')).IdentitiesPage
