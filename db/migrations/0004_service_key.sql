CREATE TABLE "service_key" (
	"id" integer PRIMARY KEY NOT NULL,
	"check_value" text NOT NULL
);
