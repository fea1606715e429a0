export const accounts = {
  setup: {
    title: 'Make it yours',
    lead: 'Choose the name and the password that you will log in with.',
    button: 'Set up Lectern',
    noLink: 'Open the setup link that Lectern printed on its console: the part after the # is the key.',
    gone: 'The link is gone? Restart Lectern and it prints a new one.',
  },
  waiting: {
    title: 'Almost there',
    lead: 'This Lectern has no owner yet. Open the setup link that it printed on its console when it started.',
  },
  login: {
    title: 'Welcome back',
    button: 'Log in',
    again: 'Log in again',
    ended: 'Your session has ended. Log in, and what you were doing goes on.',
  },
  signOn: {
    or: 'or',
    button: 'Sign in with single sign-on',
    inOtherTab: 'Sign in with single sign-on in another tab',
    problems: {
      denied: 'The sign-in was cancelled.',
      expired: 'This sign-in took too long, or began in another browser. Try once more.',
      failed:
        'The sign-on service gave an answer that does not hold, so nobody was let in. Try once more; the log of this Lectern says what was wrong.',
      unreachable: 'The sign-on service cannot be reached at the moment. Try again in a minute.',
      'not-allowed':
        'The sign-on service knows you, but you are not on the list of this Lectern. Ask its owner to add you.',
      'account-exists':
        'Your name belongs to an account here already. Log in with its password, then link it in the settings.',
      'setup-first': 'This Lectern needs its owner first. Open the setup link, then sign in.',
      taken: 'That identity belongs to another account here.',
      disabled: 'Your account is disabled. Ask the owner of this Lectern.',
      busy: 'Too many sign-ins came to nothing. Wait a few minutes, then try once more.',
    },
  },
  name: 'Name',
  password: 'Password',
  passwordHint: 'Eight characters or more.',
  showPassword: 'Show the password',
};
