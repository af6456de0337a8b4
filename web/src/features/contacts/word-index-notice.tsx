import { Alert, Progress } from '@mantine/core'
import IconBolt from '#icons/IconBolt'
import css from './contacts-page.module.css'

/** Says that words are being indexed, with the progress, 0 to 1. */
export function WordIndexNotice({ progress }: { progress: number }) {
  return (
    <Alert className={css['notice']} color="blue" icon={<IconBolt size={16} aria-hidden />} py={8}>
      <output>The full-text index is being built. Full-text searches take longer until it is ready.</output>
      <Progress mt={8} value={progress * 100} aria-label="Full-text index progress" />
    </Alert>
  )
}
