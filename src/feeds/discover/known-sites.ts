// Sites whose feeds have an address that can be told from that of their pages. Pure: nothing is asked of anyone.

interface SiteRule {
  readonly site: string;
  /** The addresses to try, best first; undefined if this rule has nothing to say about the address. */
  readonly candidates: (url: URL) => readonly string[] | undefined;
}

const youtubeFeed = 'https://www.youtube.com/feeds/videos.xml';

const rules: readonly SiteRule[] = [
  {
    site: 'YouTube',
    candidates: (url) => {
      if (!/^(?:www\.|m\.|music\.)?(?:youtube\.com|youtu\.be)$/.test(url.hostname)) return undefined;
      const channel = /^\/channel\/(UC[\w-]{22})/.exec(url.pathname)?.[1];
      if (channel) return [`${youtubeFeed}?channel_id=${channel}`];
      const playlist = /^[\w-]{10,64}$/.exec(url.searchParams.get('list') ?? '')?.[0];
      if (playlist) return [`${youtubeFeed}?playlist_id=${playlist}`];
      const user = /^\/user\/([\w.-]{1,64})/.exec(url.pathname)?.[1];
      // Handles and videos name no channel: their page does.
      return user ? [`${youtubeFeed}?user=${user}`] : [];
    },
  },
  {
    site: 'Reddit',
    candidates: (url) => {
      if (!/^(?:(?:www|old|new|np)\.)?reddit\.com$/.test(url.hostname)) return undefined;
      const path =
        /^\/(?:(?:r|u|user)\/[\w.+-]{1,100}(?:\/(?:comments\/\w{1,20}|m\/\w{1,60}|new|top|hot|rising))?)?/.exec(
          url.pathname,
        )?.[0];
      return [`https://www.reddit.com${path === '/' ? '' : path}/.rss`];
    },
  },
  {
    site: 'GitHub',
    candidates: (url) => {
      if (!/^(?:www\.)?github\.com$/.test(url.hostname)) return undefined;
      const [owner, repository, section, branch] = segments(url);
      if (!owner) return undefined;
      if (!repository) return [`https://github.com/${owner}.atom`];
      const root = `https://github.com/${owner}/${repository.replace(/\.git$/, '')}`;
      const feeds = ['releases', 'tags', 'commits'].map((kind) => `${root}/${kind}.atom`);
      if (section === 'commits' && branch) return [`${root}/commits/${branch.replace(/\.atom$/, '')}.atom`];
      // Discussions are the only other part of a repository that has a feed.
      if (section === 'discussions') return [`${root}/discussions.atom`];
      const asked = feeds.filter((feed) => feed.endsWith(`/${section}.atom`));
      return asked.length > 0 ? asked : feeds;
    },
  },
  {
    site: 'GitLab',
    candidates: (url) => {
      if (url.hostname !== 'gitlab.com') return undefined;
      const [owner, project] = segments(url);
      if (!owner) return undefined;
      if (!project) return [`https://gitlab.com/${owner}.atom`];
      const root = `https://gitlab.com/${owner}/${project}`;
      return [`${root}/-/releases.atom`, `${root}/-/tags?format=atom`, `${root}/-/commits/HEAD?format=atom`];
    },
  },
  {
    site: 'Medium',
    candidates: (url) => {
      if (/^[\w-]+\.medium\.com$/.test(url.hostname) && url.hostname !== 'www.medium.com')
        return [`${url.origin}/feed`];
      if (!/^(?:www\.)?medium\.com$/.test(url.hostname)) return undefined;
      const [owner] = segments(url);
      return owner ? [`https://medium.com/feed/${owner}`] : undefined;
    },
  },
  {
    site: 'Substack',
    candidates: (url) => {
      if (/^(?!www\.)[\w-]+\.substack\.com$/.test(url.hostname)) return [`${url.origin}/feed`];
      const author =
        /^(?:www\.)?substack\.com$/.test(url.hostname) && /^\/@([\w-]{1,64})/.exec(url.pathname)?.[1];
      return author ? [`https://${author}.substack.com/feed`] : undefined;
    },
  },
  {
    site: 'Tumblr',
    candidates: (url) => {
      if (/^(?!www\.)[\w-]+\.tumblr\.com$/.test(url.hostname)) return [`${url.origin}/rss`];
      const [blog] = segments(url);
      return /^(?:www\.)?tumblr\.com$/.test(url.hostname) && blog
        ? [`https://${blog}.tumblr.com/rss`]
        : undefined;
    },
  },
  {
    site: 'Blogger',
    candidates: (url) =>
      /\.blogspot\.[a-z.]{2,6}$/.test(url.hostname) ? [`${url.origin}/feeds/posts/default`] : undefined,
  },
  {
    site: 'WordPress.com',
    candidates: (url) => (/\.wordpress\.com$/.test(url.hostname) ? [`${url.origin}/feed/`] : undefined),
  },
  {
    // Any host may be one, so this is told by the shape of the path; the page itself is asked if it is not.
    site: 'Mastodon',
    candidates: (url) => {
      const name = /^\/(@[\w.-]{1,64})(?:\/(?:with_replies|media)?)?$/.exec(url.pathname)?.[1];
      return name ? [`${url.origin}/${name}.rss`] : undefined;
    },
  },
];

/** Where the feeds of this page should be, if it is of a site that we know. */
export function knownFeeds(url: URL): readonly string[] {
  for (const { candidates } of rules) {
    const found = candidates(url);
    if (found) return found;
  }
  return [];
}

function segments(url: URL): string[] {
  return url.pathname.split('/').filter((segment) => segment !== '');
}
