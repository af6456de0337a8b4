import { Alert } from '@mantine/core'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import css from './dashboards-page.module.css'

/** Why the list or a dashboard could not be loaded, as JSON (specification 4 §8). */
export function LoadFailureText({ error }: { error: Error }) {
  const { code, details } = isApiError(error) ? error : { code: 'unexpected', details: undefined }
  return (
    <Alert color="red" mb="sm" icon={<IconAlertTriangle size={18} />} role="alert">
      <pre className={css['failure']}>{JSON.stringify({ code, message: messageOf(error), details }, null, 2)}</pre>
    </Alert>
  )
}
