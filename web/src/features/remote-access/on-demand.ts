import { deferred } from '#ui/page/deferred.tsx'

export const AccessDialog = deferred(async () => (await import('./access-dialog.tsx')).AccessDialog)

export const AccessDetails = deferred(async () => (await import('./access-details.tsx')).AccessDetails)

export const EventFieldsPanel = deferred(async () => (await import('./event-fields-panel.tsx')).EventFieldsPanel)

/** The parts of the list of remote accesses that open on a click. */
export const openedParts = [AccessDialog, AccessDetails]
