import type { Action } from './route.ts'

/**
 * Features behind the portal's buttons and menu entries, and the action that the server requires for each
 * (specification 1 §6, 3 §6, 4 §6). Holding the action grants the feature.
 */
export const features = {
  'contact-dashboards-list': 'bi::dashboards::get',
  'contact-dashboards-view': 'bi::dashboards::get',
  'contact-dashboards-create': 'bi::dashboards::post',
  'contact-dashboards-update': 'bi::dashboards::put',
  'contact-dashboards-delete': 'bi::dashboards::delete',
  'contact-import-list': 'contact-service::imports::get',
  'contact-imports-create': 'contact-service::imports::post',
  'contact-imports-undo': 'contact-service::imports::delete',
  'contact-export-list': 'contact-service::exports::get',
  'contact-export-create': 'contact-service::exports::post',
  'contact-deletes-list': 'contact-service::offers::get',
  'contact-downloads-list': 'contact-service::downloads::get',
  'contact-indexes-list': 'contact-service::indexes::get',
  'contact-indexes-create': 'contact-service::indexes::post',
  'contact-indexes-delete': 'contact-service::indexes::delete',
  'contact-fields-list': 'contact-service::fields::get',
  'contact-fields-update': 'contact-service::fields::put',
  'contact-fields-delete': 'contact-service::fields::delete',
  'contact-rdls-list': 'contact-service::rdls::get',
  'contact-rdls-create': 'contact-service::rdls::post',
  'contact-rdls-update': 'contact-service::rdls::put',
  'contact-rdls-delete': 'contact-service::rdls::delete',
  'contact-access-list': 'contact-service::remoteAccess::get',
  'contact-access-create': 'contact-service::remoteAccess::post',
  'contact-access-update': 'contact-service::remoteAccess::put',
  'contact-access-delete': 'contact-service::remoteAccess::delete',
  'contact-offers-list': 'contact-service::offers::get',
  'contact-offers-create': 'contact-service::offers::post',
  'contact-offers-update': 'contact-service::offers::put',
  'contact-offers-delete': 'contact-service::offers::delete',
  'scheduler-crons-list': 'scheduler::crons::get',
  'scheduler-crons-create': 'scheduler::crons::post',
  'scheduler-crons-update': 'scheduler::crons::put',
} as const satisfies Record<string, Action>

export type Feature = keyof typeof features
