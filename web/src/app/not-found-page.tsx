import { Button } from '@mantine/core'
import { Link } from 'react-router'
import { paths } from '#lib/paths.ts'
import IconMapPinSearch from '#icons/IconMapPinSearch'
import { MessagePage } from './message-page.tsx'

export function NotFoundPage() {
  return (
    <MessagePage
      title="Page not found"
      icon={<IconMapPinSearch size={26} />}
      action={
        <Button component={Link} to={paths.home()}>
          Go to the home page
        </Button>
      }
    >
      Check the address. The page may have moved.
    </MessagePage>
  )
}
