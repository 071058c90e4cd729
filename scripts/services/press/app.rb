# A stock JSON API of Ruby on Rails, in one file: articles and their authors. The serializers wrap what they render in a root
# key, as the `:json` adapter of ActiveModelSerializers does; Rails itself reads parameters under one. Nothing in it was made to suit
# EntityClient.
require "rails"
require "active_record/railtie"
require "action_controller/railtie"
require "active_model_serializers"

class Press < Rails::Application
  config.load_defaults 6.1
  config.api_only = true
  config.eager_load = false
  config.consider_all_requests_local = false
  config.secret_key_base = "no secret: the service is reached from this machine alone"
  config.logger = Logger.new($stdout)
  config.hosts.clear
end

ActiveModelSerializers.config.adapter = :json
# With the pool and the timeout that `rails new` writes for SQLite.
ENV["DATABASE_URL"] = "sqlite3:#{ENV.fetch("PRESS_DATABASE")}?pool=5&timeout=5000"
Press.initialize!

ActiveRecord::Schema.define do
  create_table :authors do |t|
    t.string :name, null: false
    t.timestamps
  end
  create_table :articles do |t|
    t.string :title, null: false
    t.text :summary
    t.decimal :price, precision: 8, scale: 2
    t.integer :likes, null: false, default: 0
    t.references :author
    # Turns optimistic locking on: a stale update is a StaleObjectError, which Rails answers with 409.
    t.integer :lock_version, null: false, default: 0
    t.timestamps
  end
end

class Author < ActiveRecord::Base
  has_many :articles, dependent: :destroy
  validates :name, presence: true, uniqueness: true
end

class Article < ActiveRecord::Base
  belongs_to :author, optional: true
  validates :title, presence: true
end

class AuthorSerializer < ActiveModel::Serializer
  attributes :id, :name
end

class ArticleSerializer < ActiveModel::Serializer
  attributes :id, :title, :summary, :price, :likes, :lock_version, :created_at, :updated_at
  belongs_to :author
end

# As `rails generate scaffold --api` writes controllers.
class AuthorsController < ActionController::API
  before_action(only: %i[show update destroy]) { @author = Author.find(params[:id]) }

  def index = render(json: Author.order(:id))
  def show = render(json: @author)

  def create
    @author = Author.new(author_params)
    if @author.save
      render json: @author, status: :created, location: @author
    else
      render json: { errors: @author.errors }, status: :unprocessable_entity
    end
  end

  def update
    if @author.update(author_params)
      render json: @author
    else
      render json: { errors: @author.errors }, status: :unprocessable_entity
    end
  end

  def destroy = @author.destroy

  private

  def author_params = params.require(:author).permit(:name)
end

class ArticlesController < ActionController::API
  PAGE = 10
  before_action(only: %i[show update destroy]) { @article = Article.find(params[:id]) }

  def index
    articles = Article.includes(:author).order(:id)
    articles = articles.where(author_id: params[:author_id]) if params[:author_id]
    page = params.fetch(:page, 1).to_i
    count = articles.count
    pages = (count + PAGE - 1) / PAGE
    # As the documentation of ActiveModelSerializers has it.
    meta = {
      current_page: page, next_page: (page + 1 if page < pages), prev_page: (page - 1 if page > 1),
      total_pages: pages, total_count: count
    }
    render json: articles.offset((page - 1) * PAGE).limit(PAGE), meta: meta
  end

  def show = render(json: @article)

  def create
    @article = Article.new(article_params)
    if @article.save
      render json: @article, status: :created, location: @article
    else
      render json: { errors: @article.errors }, status: :unprocessable_entity
    end
  end

  def update
    if @article.update(article_params)
      render json: @article
    else
      render json: { errors: @article.errors }, status: :unprocessable_entity
    end
  end

  def destroy = @article.destroy

  private

  def article_params = params.require(:article).permit(:title, :summary, :price, :likes, :author_id, :lock_version)
end

Press.routes.draw do
  resources :authors
  resources :articles
end

require "rack/handler/puma"
# One thread: a transaction of ActiveRecord 6 that reads before it writes is refused by SQLite where another one writes
# meanwhile, however long the timeout is.
Rack::Handler::Puma.run(Press, Host: "127.0.0.1", Port: Integer(ARGV.fetch(0)), Threads: "1:1", Silent: true)
