/** Why a button of the scheduler does nothing. */
export const noScheduler = 'Scheduling is not available yet.'
