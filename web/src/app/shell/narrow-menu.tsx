import { Divider, Drawer, SegmentedControl, useMantineColorScheme } from '@mantine/core'
import type { MantineColorScheme } from '@mantine/core'
import { NavLink, useLocation } from 'react-router'
import IconHelp from '#icons/IconHelp'
import { useDeployment } from '#lib/deployment.ts'
import { useUser } from '#lib/session/session.ts'
import { useShownAreas } from '../shown-areas.ts'
import { areaOf } from '../screens.ts'
import { AccountPicker } from './account-picker.tsx'
import { SideMenu } from './side-menu.tsx'
import { themes } from './theme-menu.tsx'
import css from './side-menu.module.css'

/** The entries of the bar and the side menu, for small screens. */
export function NarrowMenu({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Drawer opened={isOpen} onClose={onClose} size={288} title="Menu" padding="sm">
      <Entries />
    </Drawer>
  )
}

function Entries() {
  const user = useUser()
  const { helpUrl } = useDeployment()
  const area = areaOf(useLocation().pathname)
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <>
      {!user.isImpersonated && <AccountPicker />}
      {area?.screens && (
        <>
          <SideMenu area={area} />
          <Divider my={4} />
        </>
      )}
      <nav className={css['menu']} aria-label="Main">
        {useShownAreas().map(({ path, label, Icon }) => (
          <NavLink key={path} to={path} className={css['entry'] ?? ''}>
            <Icon size={19} stroke={1.6} aria-hidden />
            {label}
          </NavLink>
        ))}
      </nav>
      <Divider my={4} />
      <div className={css['menu']}>
        <SegmentedControl
          aria-label="Theme"
          fullWidth
          value={colorScheme}
          // The control's values are those of `themes`.
          onChange={(value) => setColorScheme(value as MantineColorScheme)}
          data={themes.map(({ value, label }) => ({ value, label }))}
        />
        {helpUrl && (
          <a className={css['entry']} href={helpUrl} target="_blank" rel="noreferrer">
            <IconHelp size={19} stroke={1.6} aria-hidden />
            Help
          </a>
        )}
      </div>
    </>
  )
}
