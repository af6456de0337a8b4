/** Fields that every event has, by type. Any other name refers to its details. */
export const eventFields = {
  event_code: 'string',
  event_date: 'date',
  app_code: 'string',
  event_path: 'string',
  event_element: 'string',
  browser: 'string',
  os: 'string',
  ip: 'string',
  pdid: 'string',
  is_trigger: 'boolean',
} as const
