CREATE TABLE `rag_state` (
	`chunk_key` text PRIMARY KEY NOT NULL,
	`raindrop_id` integer,
	`text_sha256` text NOT NULL,
	`model` text NOT NULL,
	`embedded_at` text,
	FOREIGN KEY (`raindrop_id`) REFERENCES `raindrops`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `raindrop_tags` (
	`raindrop_id` integer,
	`tag_id` integer,
	PRIMARY KEY(`raindrop_id`, `tag_id`),
	FOREIGN KEY (`raindrop_id`) REFERENCES `raindrops`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`tag_id`) REFERENCES `tags`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `raindrop_text_state` (
	`raindrop_id` integer PRIMARY KEY NOT NULL,
	`text_sha256` text NOT NULL,
	`word_count` integer,
	`indexed_at` text,
	FOREIGN KEY (`raindrop_id`) REFERENCES `raindrops`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `raindrops` (
	`id` integer PRIMARY KEY NOT NULL,
	`link` text NOT NULL,
	`title` text,
	`excerpt` text,
	`domain` text,
	`created_at` text,
	`updated_at` text
);
--> statement-breakpoint
CREATE INDEX `idx_raindrops_updated` ON `raindrops` ("updated_at" desc);--> statement-breakpoint
CREATE INDEX `idx_raindrops_domain` ON `raindrops` (`domain`);--> statement-breakpoint
CREATE TABLE `tags` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tags_name_unique` ON `tags` (`name`);